import type { VNode } from 'preact';
import { numberWarnings } from '../../../codes/content/number-warning.ts';
import { withoutCountryCode } from '../../../codes/content/phone-number.ts';
import { ContactInputs } from './contact-inputs.tsx';
import { SocialInputs } from './social-inputs.tsx';
import type { CodeType } from '../../../codes/qr-code.ts';
import { type Caution, CheckBox, type FormState, Input, Select, TextArea } from '../../ui/controls.tsx';

const inputs: Record<CodeType, (form: FormState) => VNode> = {
  url: (form) => (
    <Input
      form={form}
      name="content"
      label="Web address"
      inputMode="url"
      hint="The page that a scan opens, such as example.com/menu. https:// is added if you leave it out. You can change it after printing."
    />
  ),
  text: (form) => <TextArea form={form} name="content" label="Text" />,
  social: (form) => <SocialInputs form={form} />,
  wifi: (form) => (
    <>
      <Input form={form} name="networkName" label="Network name" />
      <Select
        form={form}
        name="security"
        label="Security"
        choices={[
          ['WPA', 'WPA, WPA2 or WPA3'],
          ['WEP', 'WEP'],
          ['none', 'None'],
        ]}
      />
      <Input
        form={form}
        name="password"
        label="Password"
        isSecret
        hint="Anyone who scans the code can read it."
      />
      <CheckBox form={form} name="hidden" label="The network is hidden" />
    </>
  ),
  vcard: (form) => <ContactInputs form={form} caution={abroad('vcard')} />,
  email: (form) => (
    <>
      <Input
        form={form}
        name="to"
        label="To"
        inputMode="email"
        hint="Separate several addresses with commas."
      />
      <Input form={form} name="subject" label="Subject (optional)" />
      <TextArea form={form} name="body" label="Message (optional)" />
    </>
  ),
  phone: (form) => <NumberInput form={form} caution={abroad('phone')} />,
  sms: (form) => <NumberAndMessage form={form} caution={abroad('sms')} />,
  // No caution: WhatsApp rejects numbers without a country code, and so does validation.
  whatsapp: (form) => <NumberAndMessage form={form} />,
  geo: (form) => (
    <>
      <Input
        form={form}
        name="place"
        label="Coordinates or map link"
        hint="Such as 51.5007, -0.1246, or a link copied from Google Maps, Apple Maps or OpenStreetMap."
      />
      <Input form={form} name="label" label="Name of the place (optional)" />
    </>
  ),
};

/** For a number without its country code. */
function abroad(type: keyof typeof numberWarnings): Caution {
  return { text: numberWarnings[type], pattern: withoutCountryCode };
}

interface NumberProps {
  form: FormState;
  caution?: Caution;
}

function NumberInput({ form, caution }: NumberProps) {
  return (
    <Input
      form={form}
      name="number"
      label="Number"
      inputMode="tel"
      hint="With the country code, such as +44 …"
      caution={caution}
    />
  );
}

function NumberAndMessage(props: NumberProps) {
  const { form } = props;
  return (
    <>
      <NumberInput {...props} />
      <TextArea form={form} name="message" label="Message (optional)" />
    </>
  );
}

/** The fields of a type, or the stored content where the fields cannot hold all of it. */
export function ContentInputs({ type, isRaw, form }: { type: CodeType; isRaw: boolean; form: FormState }) {
  if (!isRaw) return inputs[type](form);
  return (
    <TextArea
      form={form}
      name="content"
      label="Content"
      rows={8}
      isSecret={type === 'wifi'}
      hint="Shown as stored, because it has more than the form has fields for."
    />
  );
}
