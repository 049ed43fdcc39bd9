import Foundation
import LocalizedTexts

/// Where longitudes lie in the picture: the ascendant at the left, and onwards counterclockwise.
struct WheelGeometry: Sendable {
  struct Point: Sendable {
    var x: Double
    var y: Double
  }

  /// The longitude that is at the left: the ascendant, or the beginning of Aries.
  let left: Double
  let center = Point(x: 360, y: 430)

  // From the rim to the middle: signs, degrees, planets, houses' numbers, aspects.
  let rim = 326.0
  let signs = 302.0
  let degrees = 278.0
  let planets = 240.0
  let labels = 207.0
  let numbers = 173.0
  let houses = 186.0
  let aspects = 160.0

  func point(_ longitude: Double, _ radius: Double) -> Point {
    let angle = (180 + longitude - left) * .pi / 180
    return Point(x: center.x + radius * cos(angle), y: center.y - radius * sin(angle))
  }

  /// A line along a radius.
  func ray(_ longitude: Double, from inner: Double, to outer: Double, style: String) -> String {
    Self.line(point(longitude, inner), point(longitude, outer), style: style)
  }

  func circle(_ radius: Double, style: String) -> String {
    let (x, y) = (SVGNumber(center.x), SVGNumber(center.y))
    return #"<circle class="\#(style)" cx="\#(x)" cy="\#(y)" r="\#(SVGNumber(radius))"/>"#
  }

  /// A piece of a ring.
  func segment(from start: Double, to end: Double, inner: Double, outer: Double, style: String) -> String {
    let corners = [point(start, outer), point(end, outer), point(end, inner), point(start, inner)]
    let (far, near) = (SVGNumber(outer), SVGNumber(inner))
    let path =
      "M\(Self.text(corners[0])) A\(far) \(far) 0 0 0 \(Self.text(corners[1])) L\(Self.text(corners[2])) "
      + "A\(near) \(near) 0 0 1 \(Self.text(corners[3])) Z"
    return #"<path class="\#(style)" d="\#(path)"/>"#
  }

  /// A filled circle on the wheel, so that lines below do not cross what is drawn on it.
  func disc(at longitude: Double, _ radius: Double, radius own: Double, style: String) -> String {
    let place = point(longitude, radius)
    return
      #"<circle class="\#(style)" cx="\#(SVGNumber(place.x))" cy="\#(SVGNumber(place.y))" r="\#(SVGNumber(own))"/>"#
  }

  func label(_ text: String, at longitude: Double, _ radius: Double, style: String) -> String {
    let place = point(longitude, radius)
    // A third of the size of the letters below, so that they stand in the middle.
    let (x, y) = (SVGNumber(place.x), SVGNumber(place.y + 4))
    return #"<text class="\#(style)" x="\#(x)" y="\#(y)">\#(XMLText.escaped(text))</text>"#
  }

  static func line(_ from: Point, _ to: Point, style: String) -> String {
    #"<line class="\#(style)" x1="\#(SVGNumber(from.x))" y1="\#(SVGNumber(from.y))" x2="\#(SVGNumber(to.x))" "#
      + #"y2="\#(SVGNumber(to.y))"/>"#
  }

  static func text(_ point: Point) -> String { "\(SVGNumber(point.x)),\(SVGNumber(point.y))" }
}
