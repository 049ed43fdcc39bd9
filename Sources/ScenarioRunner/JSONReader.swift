/// Reads one JSON value and knows its place in the file. A member that nobody asked for is an error: a mistyped
/// key must not make a scenario hold.
struct JSONReader {
  let value: JSONValue
  /// Such as `step 3, save, change 1`.
  let place: String

  func failure(_ sentence: String) -> ScenarioError { ScenarioError("\(place): \(sentence)") }

  func string() throws -> String {
    guard case .string(let text) = value else { throw failure("expected a string, found \(value)") }
    return text
  }

  func integer() throws -> Int {
    switch value {
    case .integer(let number): return Int(number)
    case .number(let number):
      if let whole = Int(exactly: number) { return whole }
      fallthrough
    default: throw failure("expected a whole number, found \(value)")
    }
  }

  func number() throws -> Double {
    switch value {
    case .integer(let number): return Double(number)
    case .number(let number): return number
    default: throw failure("expected a number, found \(value)")
    }
  }

  func integer(in range: ClosedRange<Int>) throws -> Int {
    let number = try integer()
    guard range.contains(number) else {
      throw failure("\(number) is not between \(range.lowerBound) and \(range.upperBound)")
    }
    return number
  }

  func bool() throws -> Bool {
    guard case .bool(let flag) = value else { throw failure("expected true or false, found \(value)") }
    return flag
  }

  func elements(_ noun: String) throws -> [JSONReader] {
    guard case .array(let values) = value else { throw failure("expected a list, found \(value)") }
    return values.enumerated().map { JSONReader(value: $1, place: "\(place), \(noun) \($0 + 1)") }
  }

  func strings() throws -> [String] { try elements("element").map { try $0.string() } }

  /// The members by name, each with its place.
  func members() throws -> [(name: String, reader: JSONReader)] {
    guard case .object(let members) = value else { throw failure("expected an object, found \(value)") }
    return members.sorted { $0.key < $1.key }.map { ($0, JSONReader(value: $1, place: "\(place), \($0)")) }
  }

  /// The members named; `required` ones must be there, others than those listed must not.
  func members(required: [String] = [], optional: [String] = []) throws -> [String: JSONReader] {
    var found: [String: JSONReader] = [:]
    for (name, reader) in try members() {
      guard required.contains(name) || optional.contains(name) else {
        let known = (required + optional).sorted().joined(separator: ", ")
        throw failure("unknown key \"\(name)\"; known here: \(known)")
      }
      found[name] = reader
    }
    for name in required where found[name] == nil { throw failure("the key \"\(name)\" is missing") }
    return found
  }
}
