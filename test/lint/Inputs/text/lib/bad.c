int a; // TODO: finish
