import ArgumentParser
import RecordStore
import StoreInspection

struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show which records two stores have different, field by field.",
    discussion: """
      Records are matched by entity and id. Only what readers see is compared,
      neither history nor stamps. Opens both stores for reading only. Exit code 0 if
      no record differs, 1 if some do.

      Example: tandem diff phone/group.example/shop.store phone.backup
      """)

  @Argument(
    help: ArgumentHelp("A store's directory, or a device directory with one store.", valueName: "store"),
    completion: .directory, transform: GivenPath.text)
  var first: String
  @Argument(
    help: ArgumentHelp("Another one.", valueName: "other store"), completion: .directory, transform: GivenPath.text)
  var second: String
  @Option(help: "Only records of this entity.", completion: NameCompletion.entities)
  var entity: String?
  @OptionGroup var access: AccessOptions
  @OptionGroup var paging: PagingOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let stores = try [first, second].map { path in
      try RecordStore.open(access.configuration(try StoreLocation.store(at: path), isReadOnly: true))
    }
    let differences = try stores[0].read { left in
      try stores[1].read { right in try StoreDifference.all(left, right, entity: entity, forPeople: !output.json) }
    }
    if output.json {
      for difference in differences { try Console.standard.print(difference.json) }
    } else {
      let lines = differences.flatMap { $0.lines(first, second, terminal: .current) }
      try Pager(paging).show(lines + [StoreDifference.summary(differences, first, second)])
    }
    if !differences.isEmpty { throw SilentExit(.found) }
  }
}
