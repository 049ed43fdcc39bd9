/// One way to the file key: `-> type argument…`, and a body in lines of 64 characters of which the last is shorter.
struct AgeStanza: Hashable, Sendable {
  static let columns = 64
  var type: String
  var arguments: [String]
  var body: [UInt8]

  var text: String {
    var text = (["->", type] + arguments).joined(separator: " ") + "\n"
    var rest = CanonicalBase64.encode(body)[...]
    while rest.count >= AgeStanza.columns {
      text += rest.prefix(AgeStanza.columns) + "\n"
      rest = rest.dropFirst(AgeStanza.columns)
    }
    return text + rest + "\n"
  }
}
