import { Field, InputType, ObjectType } from 'type-graphql';

/** A Brazilian postal address, in the parts in which banks register the payer of a boleto. */

const complementDescription = 'What else finds it, such as a floor or a suite.';

@ObjectType({ description: 'A postal address in Brazil.', simpleResolvers: true })
export class PostalAddress {
  @Field(() => String, { description: 'Street, without the number.' })
  declare street: string;

  @Field(() => String, { description: 'Number in the street, or S/N.' })
  declare number: string;

  @Field(() => String, { nullable: true, description: complementDescription })
  declare complement: string | null;

  @Field(() => String, { description: 'District (bairro).' })
  declare district: string;

  @Field(() => String, { description: 'City.' })
  declare city: string;

  @Field(() => String, { description: 'State (UF), two capital letters.' })
  declare state: string;

  @Field(() => String, { description: 'Postal code (CEP), eight digits.' })
  declare postalCode: string;
}

@InputType({ description: 'A postal address in Brazil.' })
export class PostalAddressInput {
  @Field(() => String, { description: 'Street, without the number; 100 characters at most.' })
  declare street: string;

  @Field(() => String, { description: 'Number in the street, or S/N; 10 characters at most.' })
  declare number: string;

  @Field(() => String, { nullable: true, description: `${complementDescription} 30 characters at most.` })
  declare complement?: string | null;

  @Field(() => String, { description: 'District (bairro); 60 characters at most.' })
  declare district: string;

  @Field(() => String, { description: 'City; 60 characters at most.' })
  declare city: string;

  @Field(() => String, { description: 'State (UF), two letters.' })
  declare state: string;

  @Field(() => String, { description: 'Postal code (CEP), with or without its hyphen.' })
  declare postalCode: string;
}
