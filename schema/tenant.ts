import { registerEnumType } from 'type-graphql';

export enum Mode {
  live = 'live',
  test = 'test',
}
registerEnumType(Mode, {
  name: 'Mode',
  description: 'Real money or the sandbox.',
  valuesConfig: {
    live: { description: 'Real charges and bookings.' },
    test: { description: 'Nothing is charged or booked.' },
  },
});
