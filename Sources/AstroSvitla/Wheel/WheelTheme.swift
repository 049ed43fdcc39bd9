/// The colours of a wheel.
public enum WheelTheme: String, CaseIterable, Sendable {
  /// Light or dark as the viewer's system asks.
  case viewer
  /// Dark lines on white.
  case light
  /// Light lines on dark.
  case dark

  var styleSheet: String {
    switch self {
    case .light: Self.shapes + WheelPalette.light.rules
    case .dark: Self.shapes + WheelPalette.dark.rules
    case .viewer:
      Self.shapes + WheelPalette.light.rules + "\n@media (prefers-color-scheme: dark) {\n" + WheelPalette.dark.rules
        + "\n}"
    }
  }

  /// What both have.
  private static let shapes = """
    text { font-family: "Helvetica Neue", "Segoe UI", "DejaVu Sans", sans-serif; text-anchor: middle; }
    .title { font-size: 25px; font-weight: 600; }
    .subtitle { font-size: 14px; }
    .legend { font-size: 13px; text-anchor: start; }
    .number { font-size: 11px; }
    .degree { font-size: 11.5px; }
    .axis-name { font-size: 12px; font-weight: 600; }
    .glyph { fill: none; stroke-linecap: round; stroke-linejoin: round; }
    .sign { stroke-width: 1.5; }
    .planet { stroke-width: 1.7; }
    .edge, .band { stroke-width: 1; }
    .edge { fill: none; }
    .tick, .hair { fill: none; stroke-width: 0.6; }
    .cusp { stroke-width: 0.9; }
    .axis { stroke-width: 2; }
    .pointer { stroke-width: 0.9; }
    .opposition, .trine, .square, .sextile, .conjunction { stroke-width: 1.7; }
    .sextile { stroke-dasharray: 6 3; }
    .faint { stroke-width: 0.9; opacity: 0.65; }

    """
}

/// What a shape of the wheel is called in the style sheet: the raw value in small letters, as classes are written.
extension RawRepresentable<String> {
  var style: String { rawValue.lowercased() }
}
