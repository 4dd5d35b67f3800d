/** Unit files that keep the schedule running: systemd on Linux, launchd on macOS, a task on Windows. */

export type UnitKind = 'systemd' | 'launchd' | 'windows';

export interface UnitOptions {
  /** Absolute path of the vault. */
  readonly vault: string;
  /** Absolute path of node and of our main file. */
  readonly node: string;
  readonly main: string;
}

/** Text of the unit, with how to install it in its first lines. */
export function unitFile(kind: UnitKind, { vault, node, main }: UnitOptions): string {
  switch (kind) {
    case 'systemd':
      return `# ~/.config/systemd/user/sluice.service
# systemctl --user daemon-reload && systemctl --user enable --now sluice
[Unit]
Description=Sluice schedule for ${vault}
After=network-online.target

[Service]
ExecStart="${node}" "${main}" schedule --vault "${vault}"
Restart=on-failure
RestartSec=30
TimeoutStopSec=60

[Install]
WantedBy=default.target
`;
    case 'launchd':
      return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ~/Library/LaunchAgents/sluice.plist; launchctl load -w ~/Library/LaunchAgents/sluice.plist -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
  <key>Label</key><string>sluice</string>
  <key>ProgramArguments</key>
  <array>${[node, main, 'schedule', '--vault', vault].map((a) => `<string>${escapeXml(a)}</string>`).join('')}</array>
  <key>KeepAlive</key><true/>
  <key>ExitTimeOut</key><integer>60</integer>
</dict></plist>
`;
    case 'windows':
      return `rem Run once in a command prompt\r\nschtasks /Create /TN Sluice /SC ONLOGON /TR "\\"${node}\\" \\"${main}\\" schedule --vault \\"${vault}\\""\r\n`;
  }
}

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
