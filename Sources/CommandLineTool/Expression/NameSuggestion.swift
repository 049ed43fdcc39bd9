/// The known name nearest to one that is not known.
enum NameSuggestion {
  /// `; did you mean 'name'?`, or a list of what there is.
  static func sentence(for name: String, among known: [String]) -> String {
    let near = known.map { ($0, distance(name.lowercased(), $0.lowercased())) }.min { $0.1 < $1.1 }
    if let near, near.1 <= max(2, name.count / 3) { return "did you mean '\(near.0)'?" }
    if known.isEmpty { return "there is none" }
    let shown = known.sorted().prefix(12).map { "'\($0)'" }.joined(separator: ", ")
    return "there is \(shown)\(known.count > 12 ? " and \(known.count - 12) more" : "")"
  }

  /// Letters to insert, delete or replace (Levenshtein).
  private static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in right.enumerated() {
        let next = a == b ? diagonal : min(diagonal, row[j], row[j + 1]) + 1
        diagonal = row[j + 1]
        row[j + 1] = next
      }
    }
    return row[right.count]
  }
}
