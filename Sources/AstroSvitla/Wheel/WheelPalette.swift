/// The colours of one theme.
struct WheelPalette: Sendable {
  var paper: String
  var ink: String
  var quiet: String
  var line: String
  /// Of fire, earth, air and water: the band, then its sign.
  var bands: [(band: String, sign: String)]
  var opposed: String
  var square: String
  var soft: String
  var together: String
  var back: String

  var rules: String {
    let elements = zip(ZodiacSign.Element.allCases, bands).map { element, colors in
      ".\(element.style) { fill: \(colors.band); } .\(element.style)-ink { stroke: \(colors.sign); }"
    }
    let rest = [
      ".paper { fill: \(paper); }",
      ".title, .degree, .axis-name, .legend { fill: \(ink); }",
      ".subtitle, .number { fill: \(quiet); }",
      ".planet, .axis { stroke: \(ink); } .dot { fill: \(ink); }",
      ".edge, .band, .cusp, .tick, .hair, .pointer { stroke: \(line); }",
      ".opposition { stroke: \(opposed); }",
      ".square { stroke: \(square); }",
      ".trine, .sextile { stroke: \(soft); }",
      ".conjunction { stroke: \(together); }",
      ".moon-way { fill: \(soft); opacity: 0.5; }",
      ".back { fill: \(back); }",
      // A rim of paper keeps degrees and numbers readable over lines.
      ".degree, .number { stroke: \(paper); stroke-width: 3px; paint-order: stroke; }",
    ]
    return (elements + rest).joined(separator: "\n")
  }

  static let light = WheelPalette(
    paper: "#fdfcf9", ink: "#26232f", quiet: "#6d6779", line: "#b9b3c4",
    bands: [
      ("#fbe4dc", "#b8432c"), ("#e9efdc", "#54702c"), ("#fbf1d3", "#927012"), ("#dfebf6", "#2c639c"),
    ], opposed: "#8a45b5", square: "#cf4436", soft: "#2f74c0", together: "#8a6d1f", back: "#b8432c")

  static let dark = WheelPalette(
    paper: "#16151d", ink: "#eeebf4", quiet: "#a29cb1", line: "#555064",
    bands: [
      ("#3b2220", "#ff9078"), ("#27301d", "#b0d47c"), ("#37301a", "#efcd68"), ("#1b2c3d", "#86bcf2"),
    ], opposed: "#c995f5", square: "#ff7b6b", soft: "#6fb0f7", together: "#e0bf5e", back: "#ff9078")
}
