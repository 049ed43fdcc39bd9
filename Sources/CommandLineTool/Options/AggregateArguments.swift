import ArgumentParser
import RecordStore

/// The values to compute over groups of records, as typed on the command line.
struct AggregateArguments: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("One row for each value of these fields: list.name,done.", valueName: "fields"),
    completion: NameCompletion.fields)
  var groupBy: String?
  @Option(
    help: ArgumentHelp("The sum of a field of numbers; may be given several times.", valueName: "field"),
    completion: NameCompletion.fields)
  var sum: [String] = []
  @Option(
    help: ArgumentHelp("The average of a field of numbers.", valueName: "field"), completion: NameCompletion.fields)
  var average: [String] = []
  @Option(help: ArgumentHelp("The least value of a field.", valueName: "field"), completion: NameCompletion.fields)
  var min: [String] = []
  @Option(help: ArgumentHelp("The greatest value of a field.", valueName: "field"), completion: NameCompletion.fields)
  var max: [String] = []

  var isGiven: Bool { groupBy != nil || !(sum + average + min + max).isEmpty }

  /// One column of the answer: a key of the groups, or a value that is computed.
  struct Column: Hashable {
    enum Kind: String, Hashable {
      case key, count, sum, average, min, max
    }
    var kind: Kind
    /// Empty for the count.
    var name: String
    var path: FieldPath
    var field: CatalogueField?

    /// `list.name`, `count`, `sum(price)`: also what `--sort` calls it.
    var title: String {
      switch kind {
      case .key: name
      case .count: kind.rawValue
      case .sum, .average, .min, .max: "\(kind.rawValue)(\(name))"
      }
    }
  }

  func columns(of entity: CatalogueEntity, counts: Bool, in catalogue: Catalogue) throws(CommandFailure) -> [Column] {
    let resolver = ExpressionResolver(catalogue: catalogue, entity: entity)
    let keys = QueryArguments.names(in: groupBy)
    var columns: [Column] = []
    for (kind, option, names) in [
      (Column.Kind.key, "--group-by", keys), (.sum, "--sum", sum), (.average, "--average", average),
      (.min, "--min", min), (.max, "--max", max),
    ] {
      for name in names { columns.append(try column(kind, option, BracketedName.single(name), resolver)) }
      // Groups without anything else to say are counted.
      let isAlone = (sum + average + min + max).isEmpty
      if kind == .key, counts || isAlone { columns.append(Column(kind: .count, name: "", path: FieldPath())) }
    }
    return columns
  }

  private func column(
    _ kind: Column.Kind, _ option: String, _ name: String, _ resolver: ExpressionResolver
  ) throws(CommandFailure) -> Column {
    do {
      let (path, field) = try resolver.resolve(.init(text: name, column: 1))
      return Column(kind: kind, name: name, path: path, field: field)
    } catch {
      throw CommandFailure("\(option) \(DisplayText.visible(name)): \(error.message)")
    }
  }
}
