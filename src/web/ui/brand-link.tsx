import { useVisitor } from './visitor.ts';

/** Of a logo in the header, in pixels. */
const logoHeight = 28;
const maxLogoWidth = 200;
/** A wider logo has the name in it. */
const widestSymbol = 1.5;

/** Its picture has a size, so that nothing moves when it arrives. */
export function BrandLink() {
  const { brand, assets } = useVisitor();
  const { width, height } = brand.logo ?? { width: 1, height: 1 };
  const hasName = width / height > widestSymbol;
  const scale = Math.min(logoHeight / height, maxLogoWidth / width);
  return (
    <a class="brand" href="/">
      <img
        src={brand.logo?.path ?? brand.icon?.path ?? `${assets}/ui/icon.svg`}
        width={Math.round(width * scale)}
        height={Math.round(height * scale)}
        alt={hasName ? brand.name : ''}
      />
      {!hasName && brand.name}
    </a>
  );
}
