// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define ROWS int table[] = {1};
typedef struct box { int a; } box;
struct other {
  int a;
};
enum { RED, GREEN };
static int counter;
static const char *last_name = "";
static const char *const names[] = {"static int no;", "b"};
static const int table[] = {1, 2};
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int (*hook)(void);
static int helper(int x);
int open_state = 3;
extern const int elsewhere;
const int fixed = 3;
struct box shared = {1};
static int helper(int x) {
  static unsigned calls;
  int local = 0;
  return x + local + (int)calls++;
}
int after_function;
