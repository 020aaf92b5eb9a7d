import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** class-validator, loaded with the first booking: with its tables of phone numbers it takes a tenth of a start. */
export const validators = () => require('class-validator') as typeof import('class-validator');

/** The tables of phone numbers that class-validator has. */
export const phoneNumbers = () => require('libphonenumber-js/max') as typeof import('libphonenumber-js/max');
