import LocalizedTexts

/// A symbol as strokes around its own middle, in a square from -10 to 10.
struct WheelGlyph: Sendable {
  struct Circle: Sendable {
    var x: Double
    var y: Double
    var radius: Double
    var isFilled = false
  }

  var path: String
  var circles: [Circle] = []

  /// - Parameter title: What a pointer on it tells.
  func element(at point: WheelGeometry.Point, scale: Double, style: String, title: String) -> String {
    let place = "translate(\(WheelGeometry.text(point))) scale(\(SVGNumber(scale)))"
    let rings = circles.map { circle in
      let form = #"cx="\#(SVGNumber(circle.x))" cy="\#(SVGNumber(circle.y))" r="\#(SVGNumber(circle.radius))""#
      return circle.isFilled ? #"<circle class="dot" \#(form)/>"# : "<circle \(form)/>"
    }
    let strokes = path.isEmpty ? "" : #"<path d="\#(path)"/>"#
    return #"<g class="glyph \#(style)" transform="\#(place)"><title>\#(XMLText.escaped(title))</title>"# + strokes
      + rings.joined() + "</g>"
  }
}

extension WheelGlyph {
  static func of(_ planet: Planet) -> WheelGlyph {
    switch planet {
    case .sun:
      WheelGlyph(path: "", circles: [Circle(x: 0, y: 0, radius: 7.5), Circle(x: 0, y: 0, radius: 1.4, isFilled: true)])
    case .moon: WheelGlyph(path: "M-3,-8.5 A8.5,8.5 0 1 1 -3,8.5 A10.5,10.5 0 0 0 -3,-8.5 Z")
    case .mercury:
      WheelGlyph(
        path: "M-4.3,-9.8 C-4.3,-5 4.3,-5 4.3,-9.8 M0,2 V9.5 M-3.6,5.8 H3.6", circles: [Circle(x: 0, y: -2, radius: 4)])
    case .venus: WheelGlyph(path: "M0,0.6 V9.5 M-3.8,5.2 H3.8", circles: [Circle(x: 0, y: -4, radius: 4.6)])
    case .mars:
      WheelGlyph(path: "M1.7,-0.9 L8.2,-7.6 M3.2,-8 H8.5 V-2.7", circles: [Circle(x: -2.2, y: 2.9, radius: 5.2)])
    case .jupiter: WheelGlyph(path: "M-7,-6 C-5.5,-10 0.5,-9.5 0,-4.5 C-0.5,-0.5 -4,2.8 -7.5,3.6 H8 M4,-9 V9")
    case .saturn:
      WheelGlyph(
        path: "M-3,-9.8 V5.2 M-7,-6.4 H2 M-3,-0.8 C-0.4,-5 6,-4.2 5.2,1 C4.8,4 1.2,5.8 3,8.4 C3.9,9.6 5.8,9.2 6.8,8")
    case .uranus:
      WheelGlyph(
        path: "M-7,-9.5 C-4.6,-7 -4.6,-1.4 -7,1 M7,-9.5 C4.6,-7 4.6,-1.4 7,1 M-5.2,-4.2 H5.2 M0,-9 V3.9",
        circles: [Circle(x: 0, y: 6.6, radius: 2.7)])
    case .neptune:
      WheelGlyph(
        path: "M-7,-7.5 C-7,3.4 7,3.4 7,-7.5 M0,-9 V9 M-4,5 H4 M-8.7,-5.6 L-7,-8.6 L-5.3,-5.6 M-1.7,-6.8 L0,-9.8 "
          + "L1.7,-6.8 M5.3,-5.6 L7,-8.6 L8.7,-5.6")
    case .pluto:
      WheelGlyph(
        path: "M-6.2,-6.5 C-6.2,2.8 6.2,2.8 6.2,-6.5 M0,0.5 V9.5 M-3.8,5 H3.8",
        circles: [Circle(x: 0, y: -6, radius: 3.2)])
    }
  }

  static func of(_ sign: ZodiacSign) -> WheelGlyph {
    switch sign {
    case .aries: WheelGlyph(path: "M-8,-2 C-10,-10 -0.5,-11 0,1 V9 M8,-2 C10,-10 0.5,-11 0,1")
    case .taurus:
      WheelGlyph(path: "M-7.5,-9 C-6,-3 -3,-2.2 0,-2.2 C3,-2.2 6,-3 7.5,-9", circles: [Circle(x: 0, y: 3, radius: 5.2)])
    case .gemini: WheelGlyph(path: "M-7,-8.5 C-3,-6 3,-6 7,-8.5 M-7,8.5 C-3,6 3,6 7,8.5 M-3,-6.8 V6.8 M3,-6.8 V6.8")
    case .cancer:
      WheelGlyph(
        path: "M-8,-2.6 C-7.6,-8.4 4,-9 8.5,-5 M8,2.6 C7.6,8.4 -4,9 -8.5,5",
        circles: [Circle(x: -5.3, y: -2.4, radius: 2.7), Circle(x: 5.3, y: 2.4, radius: 2.7)])
    case .leo:
      WheelGlyph(
        path: "M-2,1 C-4.5,-3.5 -5,-9 0,-9 C6,-9 4.6,-2.4 2.8,2 C1.2,6 2.6,9.4 6.8,7.2",
        circles: [Circle(x: -4.2, y: 2.8, radius: 2.9)])
    case .virgo:
      WheelGlyph(
        path: "M-9.5,-6.5 C-7.4,-8 -6.2,-6.4 -6.2,-4 V6 M-6.2,-4 C-6.2,-8.2 -2,-8.2 -2,-4 V6 M-2,-4 "
          + "C-2,-8.2 2.2,-8.2 2.2,-4 V3.6 C2.2,6.6 4,8.4 7,9.2 M2.2,-2.6 C5.4,-7.4 10,-3.4 6.6,1.6 C5,4 3,6 0,8")
    case .libra:
      WheelGlyph(path: "M-8.5,7.5 H8.5 M-8.5,3 H-3.2 C-7.6,-1.4 -5.4,-8.5 0,-8.5 C5.4,-8.5 7.6,-1.4 3.2,3 H8.5")
    case .scorpio:
      WheelGlyph(
        path: "M-9.5,-6.5 C-7.4,-8 -6.2,-6.4 -6.2,-4 V6 M-6.2,-4 C-6.2,-8.2 -2,-8.2 -2,-4 V6 M-2,-4 "
          + "C-2,-8.2 2.2,-8.2 2.2,-4 V4.6 C2.2,8 6,8.6 9,5 M5.6,4.6 L9.2,4.8 L9.4,8.4")
    case .sagittarius: WheelGlyph(path: "M-7.5,8 L7.5,-7.5 M0.8,-8 H8 V-0.8 M-6.2,-0.6 L0.8,6.4")
    case .capricorn:
      WheelGlyph(
        path: "M-8.5,-7.5 C-5.4,-8.4 -4.4,-5 -4.4,4 M-4.4,-3 C-4.4,-8.6 1.4,-8.6 1.4,-3 V4 C1.4,7.6 0,9.4 -3,9 "
          + "M1.4,4.4 C1.4,-0.6 8.4,-0.6 8.4,3.6 C8.4,7.8 2.4,8 1.4,4.4")
    case .aquarius:
      WheelGlyph(
        path: "M-9,-2 L-5.4,-5.2 L-2.4,-2 L1.2,-5.2 L4.2,-2 L8.6,-5.2 M-9,5 L-5.4,1.8 L-2.4,5 L1.2,1.8 L4.2,5 L8.6,1.8")
    case .pisces: WheelGlyph(path: "M-6.5,-9 C-2,-4 -2,4 -6.5,9 M6.5,-9 C2,-4 2,4 6.5,9 M-7.5,0 H7.5")
    }
  }
}
