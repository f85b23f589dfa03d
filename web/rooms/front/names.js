// The names in the vocabulary of the stories model.

export const GIRLS = ['lily', 'anna', 'mia', 'rosa', 'emma', 'nina']
export const BOYS = ['tom', 'ben', 'max', 'leo', 'sam', 'otto']
