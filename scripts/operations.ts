/** Generates one TypeScript module from queries/: types and parsed documents, so that nothing is parsed at run time. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { buildSchema, parse } from 'graphql';

/**
 * Enums are texts: a service may send a value that the contract does not list.
 * @returns the text of src/bot/query/generated/operations.ts, from queries/schema.graphql and every other file beside it
 */
export async function operationTypes(): Promise<string> {
  const names = (await readdir('queries', { recursive: true })).filter((name) => name.endsWith('.graphql')).sort();
  const contract = await readFile('queries/schema.graphql', 'utf8');
  const schemaText = contract.replace(/^enum (\w+) \{[^}]*\}/gm, 'scalar $1');
  const documents = await Promise.all(
    names
      .filter((name) => name !== 'schema.graphql')
      .map(async (name) => ({ location: name, document: parse(await readFile(join('queries', name), 'utf8')) })),
  );
  const text = await codegen({
    filename: 'operations.ts',
    schema: parse(schemaText),
    schemaAst: buildSchema(schemaText),
    documents,
    config: {
      scalars: { CreditAmount: 'unknown' },
      defaultScalarType: 'string',
      immutableTypes: true,
      useTypeImports: true,
      skipTypename: true,
      documentVariableSuffix: 'Document',
      avoidOptionals: false,
    },
    plugins: [{ operations: {} }, { documents: {} }],
    pluginMap: { operations: typescriptOperations, documents: typedDocumentNode },
  });
  // The documents of operations contain their fragments.
  const used = text.replace(/^export const \w+FragmentDoc = .*\n/gm, '');
  return `/** Generated from queries/ by \`npm run generate\`. Never edited. */\n${used}\n`;
}
