/** An error with a member that breaks when it is read, as those that decode a response on demand have. */
export const unreadable = (message = 'unreadable'): Error =>
  Object.defineProperty(new Error(message), 'body', {
    enumerable: true,
    get() {
      throw new Error('the response is gone');
    },
  });
