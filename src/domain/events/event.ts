/**
 * Version of the event payload's shape (SPEC Versioning, DESIGN §4).
 *
 * Bodies of deliveries are made from the event's row, which nobody can change, with the bytes of its `data` as they were
 * recorded; only those of failed attempts are kept besides. A delivery that is sent again months later must still arrive
 * in the bytes of the first time. So there is one version as long as there is this constant: a second one has to be
 * chosen by the event's time, and a test holds that those from before keep theirs.
 */
export const apiVersion = '2026-11-01';

/** Stands on the body of a test event, which is an event's otherwise. */
export const testEventNotice = {
  test_event: true,
  message: 'Test event: it shows what an event of this type looks like, and nothing has happened.',
} as const;

/** One event as it is told to anyone: webhooks, subscriptions, the log. */
export interface DomainEvent {
  id: string;
  type: string;
  sequence: bigint;
  teamId: string;
  subjectId: string;
  createdAt: Date;
  /** `object`, and for updates `previous_attributes`, in the names of the REST resources. */
  data: { object: Record<string, unknown>; previous_attributes?: Record<string, unknown> };
}
