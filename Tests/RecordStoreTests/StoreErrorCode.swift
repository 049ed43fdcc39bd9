import RecordStore
import Testing

/// The code of the store's error that a body throws: what an expectation compares, so that no other trouble passes for
/// the one that is meant. Nil if the body throws nothing.
func storeErrorCode(_ body: () throws -> Void) -> StoreError.Code? {
  do {
    try body()
    return nil
  } catch let error as StoreError {
    return error.code
  } catch {
    Issue.record("the store threw an error of another kind: \(error)")
    return nil
  }
}
