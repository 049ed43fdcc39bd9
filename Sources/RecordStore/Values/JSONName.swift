import LMDB

/// The name of a member, where it lies in the text of a ``JSONScanner``: to compare it needs no string.
///
/// A pointer file, for a static string lends its bytes by one.
struct JSONName {
  let bytes: RawBytes

  /// For patterns.
  static func ~= (word: StaticString, name: JSONName) -> Bool { word ~= name.bytes }
}

extension StaticString {
  /// For patterns.
  static func ~= (word: StaticString, bytes: RawBytes) -> Bool {
    word.withUTF8Buffer { RawBytes(UnsafeRawBufferPointer($0)) == bytes }
  }
}
