/// An angle for people, in whole minutes of arc: `0°32′`.
public struct DegreeText: CustomStringConvertible, Sendable {
  /// The angle, in degrees.
  public let degrees: Double

  /// - Parameter degrees: Within a sign, or a latitude; negative south.
  public init(_ degrees: Double) { self.degrees = degrees }

  /// Cut, not rounded, so that 29°59.9′ of a sign does not become its thirtieth degree.
  public var description: String {
    // A part of a second, so that 0.1 × 60 is not cut to 5′.
    let minutes = Int(abs(degrees) * 60 + 0.001)
    let text = "\(minutes / 60)°" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60)′"
    return degrees < 0 && minutes > 0 ? "-" + text : text
  }
}
