import LMDB

extension String {
  /// Lends the text's UTF-8; the view must not leave `body`. No copy, unless the text is not Swift's own.
  ///
  /// The pointer of a text is to be had from here alone.
  func withRawBytes<Result>(_ body: (RawBytes) throws -> Result) rethrows -> Result {
    var text = self
    return try text.withUTF8 { try body(RawBytes(UnsafeRawBufferPointer($0))) }
  }
}
