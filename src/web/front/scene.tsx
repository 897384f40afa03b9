import { Icon, type IconName } from '../ui/icons.tsx';

/** Invented: scans by hour. The last bar is the scan that the picture shows. */
const hours = [3, 5, 9, 14, 12, 17, 25, 22, 15, 19, 27, 34];
const width = 10;
const gap = 4;
const height = 44;
const most = Math.max(...hours);

/** A table tent, a phone that has scanned it, and the scan in a chart. */
export function Scene({ code }: { code: string }) {
  return (
    <div class="scene">
      <div class="tent">
        <p class="tent-name">Fernweh Coffee</p>
        {/* Trusted: drawn from our own address and colors. */}
        <div class="tent-code" dangerouslySetInnerHTML={{ __html: code }} />
        <span class="tent-scan" />
      </div>
      <Phone />
      <div class="arrival" aria-hidden="true">
        <p>
          <strong>202</strong> scans today <span class="arrival-plus">+1</span>
        </p>
        <svg viewBox={`0 0 ${hours.length * (width + gap) - gap} ${height}`}>
          {hours.map((scans, index) => {
            const tall = Math.round((scans / most) * height);
            return (
              <rect
                key={index}
                class={index === hours.length - 1 ? 'arrival-new' : undefined}
                x={index * (width + gap)}
                y={height - tall}
                width={width}
                height={tall}
                rx="2"
              />
            );
          })}
        </svg>
      </div>
    </div>
  );
}

const links: [IconName, string][] = [
  ['book-open', 'Today’s menu'],
  ['clock', 'Opening hours'],
  ['image', 'Follow us'],
];

/** What a scan opens, with the look that the owner has chosen. */
function Phone() {
  return (
    <div class="phone" aria-hidden="true">
      <div class="phone-screen">
        <svg class="phone-logo" viewBox="0 0 96 96">
          <circle cx="48" cy="48" r="48" />
          <path d="M26 42h36v4h1a10 10 0 0 1 0 20h-3a14 14 0 0 1-11 6H37a14 14 0 0 1-11-14zm36 9v9h1a4.500 4.500 0 0 0 0-9zM22 75h44v5H22zM34 24h4v13h-4zM42 24h4v13h-4zM50 24h4v13h-4z" />
        </svg>
        <p class="phone-title">Fernweh Coffee</p>
        <p class="phone-text">Fresh from the roaster. Today: Colombia Huila.</p>
        {links.map(([icon, name]) => (
          <p key={name} class="phone-link">
            <Icon name={icon} />
            {name}
          </p>
        ))}
      </div>
      <div class="phone-camera">
        <span />
      </div>
    </div>
  );
}
