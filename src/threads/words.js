// The words of the control block of a job.

export const generation = 0 // grows with each job: what idle threads wait for
export const gate = 1 // how many workers have joined; CLOSED: none may any more
export const done = 2 // how many of them have finished
export const left = 3 // units that nobody has drawn
export const locked = 4 // units, from the first on, whose operands are not there yet
export const chunk = 5 // units a draw
export const kernel = 6 // index of its name among the exports
export const scratch = 7 // address of that of the first thread
export const stride = 8 // bytes from there to that of the next one
export const status = 9 // 0, what a kernel returned, or TRAPPED
export const arity = 10 // how many arguments the kernel takes before those of its part
export const args = 12 // float64 each: addresses, sizes and real numbers
