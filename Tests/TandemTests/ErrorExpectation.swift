import Tandem
import Testing

/// Expects that `body` throws the error of `SwiftData`'s kind with this code.
func expectError<Result>(
  _ code: SwiftDataError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) {
  #expect(sourceLocation: sourceLocation) {
    _ = try body()
  } throws: {
    ($0 as? SwiftDataError)?.code == code
  }
}
