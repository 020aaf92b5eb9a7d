import type { DocumentStore } from '@apollo/server';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { keptCharacters, keptOperations } from './operationCache.ts';

/**
 * Documents that Apollo has read, for requests that always go through it, such as batches. By itself it keeps as many as have
 * thirty megabytes as JSON, in which there is nothing of their texts' comments: forty thousand, each of a megabyte if its key
 * likes.
 */
export function boundedDocumentStore(): DocumentStore {
  const documents = new LRUCache<string, DocumentNode>({
    max: keptOperations,
    maxSize: keptCharacters,
    // A document holds on to its text.
    sizeCalculation: ({ loc }) => (loc?.source.body.length ?? keptCharacters) + 1,
  });
  return {
    get: async (key) => documents.get(key),
    set: async (key, document) => void documents.set(key, document),
    delete: async (key) => documents.delete(key),
  };
}
