import RecordSync
import Testing

/// The code of the synchronisation's error that a body throws: what an expectation compares, so that no other trouble
/// passes for the one that is meant. Nil if the body throws nothing.
func syncErrorCode(_ body: () throws -> Void) -> SyncError.Code? {
  do {
    try body()
    return nil
  } catch let error as SyncError {
    return error.code
  } catch {
    Issue.record("the synchronisation threw an error of another kind: \(error)")
    return nil
  }
}
