/// What a campaign has counted, and its findings.
struct Tally: Sendable {
  let name: String
  let unit: String
  var count = 0
  /// Further figures for the last line, in order.
  var figures: [String] = []
  private var found: [String: Int] = [:]
  private let kinds: [String]
  private(set) var findings: [String] = []

  init(name: String, unit: String, kinds: [String]) {
    (self.name, self.unit, self.kinds) = (name, unit, kinds)
  }

  mutating func add(_ kind: String, _ sentence: String) {
    found[kind, default: 0] += 1
    findings.append("\(kind): \(sentence)")
    Progress.say("finding, \(kind): \(sentence)")
  }

  var summary: String { kinds.map { "\(found[$0] ?? 0) \($0)" }.joined(separator: ", ") }

  /// The last line of a campaign: `faults: 1,050 points, 0 lost, 0 crashed, 0 hung`.
  var line: String { "\(name): \(Self.grouped(count)) \(unit), " + ([summary] + figures).joined(separator: ", ") }

  static func grouped(_ count: Int) -> String {
    let digits = String(count)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return text
  }
}
