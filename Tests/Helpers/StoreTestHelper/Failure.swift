/// What a helper found wrong; ends it with code 1 and this sentence.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
