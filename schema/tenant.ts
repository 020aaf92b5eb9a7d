import type { Mode as DomainMode } from '../src/domain/tenant.ts';
import { enumType } from './enumType.ts';

export const Mode = enumType<DomainMode>({
  name: 'Mode',
  description: 'Real money or the sandbox.',
  values: {
    live: 'Real charges and bookings.',
    test: 'Nothing is charged or booked.',
  },
});
