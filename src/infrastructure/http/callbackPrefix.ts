/** What the paths at which payment providers call are below. */
export const callbackPrefix = '/callbacks/payments';
