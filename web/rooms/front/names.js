// The names that the model of stories knows.

export const GIRLS = ['lily', 'anna', 'mia', 'rosa', 'emma', 'nina']
export const BOYS = ['tom', 'ben', 'max', 'leo', 'sam', 'otto']
