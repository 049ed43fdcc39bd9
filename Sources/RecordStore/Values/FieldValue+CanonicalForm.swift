import Foundation

extension FieldValue {
  /// One form for a large value, wherever it lies: the reference that names its bytes. All other values are theirs
  /// already. Reads a large value in memory from end to end.
  package var canonicalForm: FieldValue {
    guard case .data(let data) = self, data.count >= ExternalReference.threshold,
      let reference = ExternalReference(of: data)
    else { return self }
    return .data(Data(reference.payload))
  }
}
