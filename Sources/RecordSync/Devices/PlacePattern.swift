/// Names stores by their places, with `*` for any characters: `group.org.example/Cache*`, `*/Drafts`.
///
/// ```swift
/// var options = DeviceSync.Options()
/// if let caches = PlacePattern("*/Cache*") { options.except.insert(caches) }
/// ```
public struct PlacePattern: Hashable, Sendable, CustomStringConvertible {
  /// As it was written.
  public let description: String
  private let parts: [[Character]]

  /// Reads `GROUP/STORE`; nil for any other text.
  public init?(_ description: String) {
    let parts = description.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(
      Substring.init)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.description = description
    self.parts = parts.map(Array.init)
  }

  /// Whether a place is among those that are named. Letters count as they are written.
  public func matches(_ place: DeviceDirectory.Place) -> Bool {
    zip(parts, [place.group, place.name]).allSatisfy { Self.matches($0[...], Array($1)[...]) }
  }

  /// Costs the product of both lengths at most: an earlier star never has to be tried again.
  private static func matches(_ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>) -> Bool {
    var (pattern, text) = (pattern, text)
    var retry: (pattern: ArraySlice<Character>, text: ArraySlice<Character>)?
    while true {
      if pattern.first == "*" {
        pattern = pattern.dropFirst()
        retry = (pattern, text)
      } else if let next = text.first, pattern.first == next {
        (pattern, text) = (pattern.dropFirst(), text.dropFirst())
      } else if pattern.isEmpty, text.isEmpty {
        return true
      } else {
        guard let last = retry, !last.text.isEmpty else { return false }
        retry?.text = last.text.dropFirst()
        (pattern, text) = (last.pattern, last.text.dropFirst())
      }
    }
  }
}
