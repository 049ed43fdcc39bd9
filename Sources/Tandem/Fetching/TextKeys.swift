import Foundation
import RecordStore

// The keys by which people's texts are compared. Predicates reach these through key paths, so that
// they are made of Foundation's own expressions only: Foundation can not print any others.

extension StringProtocol {
  /// Part of `localizedStandardContains` in a predicate: the text without case and accents.
  public var _searchKey: [UInt8] { Array(CanonicalText.folded(String(self)).utf8) }
  /// Part of `localizedCompare` in a predicate.
  public var _peopleKey: TextForPeople { TextForPeople(String(self)) }
  /// Part of `caseInsensitiveCompare` in a predicate.
  public var _loweredText: String { lowercased() }
}

enum TextKey {
  /// Whether a key path of `type` names the search key.
  static func isSearchKey(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool {
    guard let type = type as? any StringProtocol.Type else { return false }
    return isSearchKey(keyPath, ofText: type)
  }

  private static func isSearchKey<Text: StringProtocol>(_ keyPath: AnyKeyPath, ofText type: Text.Type) -> Bool {
    keyPath == \Text._searchKey
  }
}
