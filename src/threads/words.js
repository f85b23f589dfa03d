// Indices into the control block: int32 words that describe the current job and that all threads share.

export const generation = 0 // counts the jobs; idle threads wait for it to change
export const gate = 1 // number of workers that joined; the bit CLOSED stops more from joining
export const done = 2 // number of workers that finished
export const units = 3 // number of units of the job
export const notReady = 4 // number of units, from the first on, whose operands are not copied yet; copying starts with the last unit
export const chunk = 5 // units that a thread takes at once
export const kernel = 6 // index of the kernel's name among the exports
export const scratch = 7 // address of the first thread's scratch
export const stride = 8 // bytes from one thread's scratch to the next
export const status = 9 // 0, what a kernel returned, or TRAPPED
export const arity = 10 // number of arguments before (first, count, scratch)
export const ranges = 11 // number of ranges of units: one for each thread, or one for all
export const args = 12 // 16 float64: addresses, sizes and real numbers
export const first = 44 // index of the job's first unit within the whole call
export const jobs = 45 // number of jobs of a sequence; 0 for a single job
export const list = 46 // address of the jobs of a sequence, JOB words each
export const spin = 47 // microseconds for which a worker spins after the job before it sleeps
export const left = 48 // units of each range that no thread has taken yet, LINE words apart
export const LINE = 16 // a cache line
export const MOST_THREADS = 64

// Indices into one job of a sequence. The kernel of such a job takes one argument before (first, count, scratch).

export const JOB = 16 // a cache line
export const jobKernel = 0
export const jobArgument = 1
export const jobChunk = 2
export const jobUnits = 3
export const jobOpen = 4 // units that are not finished yet
export const jobRanges = 5 // number of ranges of units, at most JOB - jobLeft
export const jobLeft = 6 // units of each range that no thread has taken yet
