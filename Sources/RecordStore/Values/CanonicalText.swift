import LMDB

#if canImport(Darwin)
  import Foundation
#else
  @_spi(_Unicode) import Swift
#endif

/// The NFC form of texts, in which canonically equal texts have equal bytes.
package enum CanonicalText {
  /// Lends the NFC form of a UTF-8 text. One or more allocations: callers handle plain texts before.
  static func withNormalized(_ text: RawBytes, _ body: (RawBytes) -> Void) {
    normalized(String(decoding: text.buffer, as: UTF8.self)).withRawBytes(body)
  }

  package static func normalized(_ text: String) -> String {
    #if canImport(Darwin)
      return text.precomposedStringWithCanonicalMapping
    #else
      // The standard library's own form, by which it compares strings. Foundation's on Linux loses
      // scalars above U+FFFF that an accent follows (U+10041 U+0301 becomes U+00C1).
      var scalars = String.UnicodeScalarView()
      scalars.append(contentsOf: text._nfc)
      return String(scalars)
    #endif
  }

  /// The canonical decomposition.
  private static func decomposed(_ text: String) -> String.UnicodeScalarView {
    #if canImport(Darwin)
      return text.decomposedStringWithCanonicalMapping.unicodeScalars
    #else
      var scalars = String.UnicodeScalarView()
      scalars.append(contentsOf: text._nfd)
      return scalars
    #endif
  }

  /// In lower case and without accents: what is left to compare when people search.
  package static func folded(_ text: String) -> String {
    var folded = String.UnicodeScalarView()
    for scalar in decomposed(text.lowercased()) where scalar.properties.generalCategory != .nonspacingMark {
      folded.append(scalar)
    }
    return String(folded)
  }
}
