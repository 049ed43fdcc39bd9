public import Foundation
import RecordStore

extension ModelContext {
  /// An attribute's value of type `Data` without its bytes; see ``ExternalValue``.
  ///
  /// - Parameters:
  ///   - keyPath: a stored attribute of the class.
  ///   - model: an object of this context, with or without unsaved changes.
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a key path that names no stored attribute.
  public func externalValue<M: PersistentModel>(
    of keyPath: KeyPath<M, Data>, for model: M
  ) throws -> ExternalValue {
    let (value, subject) = try storedValue(of: keyPath, model)
    guard let found = value ?? ExternalValue(.data(Data()), subject: subject) else {
      preconditionFailure("no bytes are a value of type data")
    }
    return found
  }

  /// An optional attribute's value of type `Data` without its bytes; nil where the attribute is.
  ///
  /// - Parameters:
  ///   - keyPath: a stored attribute of the class.
  ///   - model: an object of this context, with or without unsaved changes.
  /// - Throws: `SwiftDataError.unsupportedKeyPath` for a key path that names no stored attribute.
  public func externalValue<M: PersistentModel>(
    of keyPath: KeyPath<M, Data?>, for model: M
  ) throws -> ExternalValue? {
    try storedValue(of: keyPath, model).value
  }

  private func storedValue<M: PersistentModel>(
    of keyPath: PartialKeyPath<M>, _ model: M
  ) throws -> (value: ExternalValue?, subject: String) {
    let storage = model._$storage
    guard let index = storage.description.index(of: keyPath) else {
      throw SwiftDataError(
        .unsupportedKeyPath, "\(keyPath) is no stored attribute of \(M.self): name one that has a value of its own")
    }
    let subject = "\(storage.description.properties[index].name) of \(M.self) \(storage.recordID)"
    if let reference = storage.externalReference(index) {
      return (ExternalValue(reference, subject: subject), subject)
    }
    return (ExternalValue(storage.fieldValue(index), subject: subject), subject)
  }
}
