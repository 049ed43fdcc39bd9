/// What is wrong with the product, in a sentence.
struct Finding: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
