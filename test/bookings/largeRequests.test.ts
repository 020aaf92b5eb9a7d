import { expect, it } from 'vitest';
import { badField, dataOf, expectRefusal } from '../doors/door.ts';
import { agencyWith, describeBookings, offered, requestFor } from './bookingSteps.ts';

describeBookings('requests for bookings that are not meant well', (stage) => {
  it.each([
    [{}, 'passengers.0.id', 'required'],
    [null, 'passengers.0', 'required'],
    [0, 'passengers.0', 'invalid'],
  ])('are answered shortly, however many faults they have: %j', async (passenger, field, type) => {
    const { live } = await agencyWith(stage, null);
    const request = requestFor(await offered(stage, live));
    const passengers = Array.from({ length: 150_000 }, () => passenger);
    const outcome = await stage.door.createBooking(live, { ...request, passengers });
    expectRefusal(outcome, badField(field, type));
    expect(outcome.text.length).toBeLessThan(20_000);
  });

  it('have names with more marks on a letter than could be put in order', async () => {
    const { live } = await agencyWith(stage, null);
    const request = requestFor(await offered(stage, live));
    const [passenger] = request.passengers;
    const name = `a${'\u0301\u0316'.repeat(250_000)}`;
    for (const member of ['given_name', 'family_name']) {
      const passengers = [{ ...passenger, [member]: name }];
      expectRefusal(
        await stage.door.createBooking(live, { ...request, passengers }),
        badField(`passengers.0.${member}`, 'too_long'),
      );
    }
  });

  it('name half a character', async () => {
    const { live } = await agencyWith(stage, '1000.00');
    const request = requestFor(await offered(stage, live));
    const [passenger] = request.passengers;
    for (const half of ['\ud83d', '\udca5']) {
      for (const member of ['given_name', 'email', 'phone_number']) {
        const passengers = [{ ...passenger, [member]: `ana${half}@example.com` }];
        expectRefusal(
          await stage.door.createBooking(live, { ...request, passengers }),
          badField(`passengers.0.${member}`, 'invalid'),
        );
      }
    }
    expect(dataOf(await stage.door.bookings(live)).items).toEqual([]);
  });
});
