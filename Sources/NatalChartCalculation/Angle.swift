import Foundation

/// Degrees as libraries of astronomy give them, with the functions that need radians.
enum Angle {
  static func sine(_ degrees: Double) -> Double { sin(degrees * .pi / 180) }
  static func cosine(_ degrees: Double) -> Double { cos(degrees * .pi / 180) }
  static func tangent(_ degrees: Double) -> Double { tan(degrees * .pi / 180) }
  static func arcSine(_ value: Double) -> Double { asin(max(-1, min(1, value))) * 180 / .pi }
  static func direction(y: Double, x: Double) -> Double { atan2(y, x) * 180 / .pi }

  /// The same direction, from -180 up to but not including 180.
  static func turned(_ degrees: Double) -> Double {
    let rest = (degrees + 180).truncatingRemainder(dividingBy: 360)
    return rest < 0 ? rest + 180 : rest - 180
  }
}
