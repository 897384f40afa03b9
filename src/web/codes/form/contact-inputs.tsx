import { kindOf } from '../../../codes/content/contact-fields.ts';
import { type Caution, type FormState, Input, Select, TextArea } from '../../ui/controls.tsx';
import { More } from './more-fields.tsx';

interface ContactProps {
  form: FormState;
  /** For numbers. */
  caution: Caution;
}

const kinds: [string, string][] = [
  ['', 'Not stated'],
  ['CELL', 'Mobile'],
  ['WORK', 'Work'],
  ['HOME', 'Home'],
  ['FAX', 'Fax'],
];

/** What most cards have first; the rest opens where it is used. */
export function ContactInputs(props: ContactProps) {
  const { form } = props;
  return (
    <>
      <Input form={form} name="contactName" label="Full name" />
      <div class="row">
        <Input form={form} name="jobTitle" label="Title (optional)" />
        <Input form={form} name="organization" label="Organization (optional)" />
      </div>
      <Phone {...props} name="phone" label="Phone" />
      <Input form={form} name="email" label="Email (optional)" inputMode="email" />
      <Input form={form} name="website" label="Website (optional)" inputMode="url" />
      <More form={form} title="More phones and emails" names={['phone2', 'phone3', 'email2', 'email3']}>
        <Phone {...props} name="phone2" label="Phone 2" />
        <Phone {...props} name="phone3" label="Phone 3" />
        <Input form={form} name="email2" label="Email 2 (optional)" inputMode="email" />
        <Input form={form} name="email3" label="Email 3 (optional)" inputMode="email" />
      </More>
      <More
        form={form}
        title="Address and note"
        names={['street', 'postalCode', 'city', 'region', 'country', 'note']}
      >
        <Input form={form} name="street" label="Street (optional)" />
        <div class="row">
          <Input form={form} name="postalCode" label="Postal code (optional)" />
          <Input form={form} name="city" label="City (optional)" />
        </div>
        <div class="row">
          <Input form={form} name="region" label="State or region (optional)" />
          <Input form={form} name="country" label="Country (optional)" />
        </div>
        <TextArea form={form} name="note" label="Note (optional)" rows={3} />
      </More>
    </>
  );
}

function Phone({ form, caution, name, label }: ContactProps & { name: string; label: string }) {
  return (
    <div class="row">
      <Input form={form} name={name} label={`${label} (optional)`} inputMode="tel" caution={caution} />
      <Select form={form} name={kindOf(name)} label={`Type of ${label.toLowerCase()}`} choices={kinds} />
    </div>
  );
}
