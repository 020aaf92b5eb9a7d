import { laterPackage } from '../../infrastructure/laterPackage.ts';

/** class-validator, loaded with the first booking: with its tables of phone numbers it takes a tenth of a start. */
export const validators = laterPackage<typeof import('class-validator')>('class-validator');

/** The tables of phone numbers that class-validator has. */
export const phoneNumbers = laterPackage<typeof import('libphonenumber-js/max')>('libphonenumber-js/max');
