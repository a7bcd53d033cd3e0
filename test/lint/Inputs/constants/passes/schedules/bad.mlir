// Comments may speak of ds_read_b128.
fmha.schedule @bad = #fmha.schedule<v = <read = tr_b16, max_pad_bytes = 64>>
