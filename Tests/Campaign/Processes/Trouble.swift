/// Why the campaign itself cannot go on: of the machine, not of the product.
struct Trouble: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
