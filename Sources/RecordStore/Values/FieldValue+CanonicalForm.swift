import Foundation

extension FieldValue {
  /// One form for a large value, wherever it lies: the reference that names its bytes. All other values are theirs
  /// already. Reads a large value in memory from end to end.
  package var canonicalForm: FieldValue {
    guard case .data(let data) = self, data.count >= ExternalReference.canonicalByteCount,
      let reference = ExternalReference(of: data)
    else { return self }
    return .data(Data(reference.payload))
  }

  /// Whether two values, in the form in which stores hold them, are equal to readers: one may lie in the record that
  /// another device, or an earlier configuration, keeps beside the store. Reads a value in memory from end to end where
  /// a reference names one of its length.
  package func isSame(asStored other: FieldValue) -> Bool {
    guard case .data(let left) = self, case .data(let right) = other else { return self == other }
    if left == right { return true }
    switch (ExternalReference(stored: self), ExternalReference(stored: other)) {
    case (let reference?, nil): return reference.names(right)
    case (nil, let reference?): return reference.names(left)
    default: return false
    }
  }
}

extension FieldValue {
  /// As ``isIdentical(to:)``, of two values in the form in which stores hold them; see ``isSame(asStored:)``.
  func isIdentical(asStored other: FieldValue) -> Bool {
    guard case .data = self, case .data = other else { return isIdentical(to: other) }
    return isSame(asStored: other)
  }
}

extension ExternalReference {
  fileprivate func names(_ value: Data) -> Bool {
    value.count == valueByteCount && ExternalReference(of: value) == self
  }
}
