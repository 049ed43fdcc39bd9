import ArgumentParser

struct SchemaOf: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema-of",
    abstract: "Print the JSON Schema of what a command prints with --json.",
    discussion: """
      Without a command, lists those that have one. Where a command prints an object
      a line, the schema is that of a line. Members may be added in later versions,
      so ignore what you do not know; none changes its meaning or goes.

      Example: tandem schema-of query > query.schema.json
      """)

  @Argument(help: ArgumentHelp("The command, such as 'info' or 'conflicts list'.", valueName: "command"))
  var command: [String] = []

  func run() throws {
    guard !command.isEmpty else {
      for name in SchemaOf.schemas.keys.sorted() { try Console.standard.print(name) }
      return
    }
    let name = command.joined(separator: " ")
    guard let schema = SchemaOf.schemas[name] else {
      throw CommandFailure(
        "there is no schema of '\(name)'; " + NameSuggestion.sentence(for: name, among: SchemaOf.schemas.keys.sorted()))
    }
    try Console.standard.print(String(decoding: schema.dropLast(), as: UTF8.self))
  }

  /// By the command's name; the files lie in `Schemas`.
  private static let schemas: [String: [UInt8]] = [
    "backup": PackageResources.backup_json,
    "backups": PackageResources.backups_json,
    "check": PackageResources.check_json,
    "conflicts list": PackageResources.conflicts_list_json,
    "conflicts restore": PackageResources.conflicts_restore_json,
    "conflicts show": PackageResources.conflicts_show_json,
    "delete": PackageResources.delete_json,
    "diff": PackageResources.diff_json,
    "edit": PackageResources.insert_json,
    "export": PackageResources.export_json,
    "get": PackageResources.get_json,
    "history": PackageResources.history_json,
    "import": PackageResources.import_json,
    "increment": PackageResources.increment_json,
    "info": PackageResources.info_json,
    "insert": PackageResources.insert_json,
    "key add-device": PackageResources.key_json,
    "key forget": PackageResources.key_json,
    "key join": PackageResources.key_json,
    "key new": PackageResources.key_json,
    "key rotate": PackageResources.key_json,
    "key show": PackageResources.key_json,
    "join": PackageResources.share_json,
    "leave": PackageResources.share_json,
    "list": PackageResources.list_json,
    "load": PackageResources.load_json,
    "put": PackageResources.put_json,
    "query": PackageResources.query_json,
    "rebuild": PackageResources.rebuild_json,
    "remove": PackageResources.remove_json,
    "restore": PackageResources.restore_json,
    "retire": PackageResources.retire_json,
    "salvage": PackageResources.salvage_json,
    "scenario run": PackageResources.scenario_run_json,
    "schema": PackageResources.schema_json,
    "share": PackageResources.share_json,
    "status": PackageResources.status_json,
    "suites": PackageResources.suites_json,
    "suites import": PackageResources.suites_import_json,
    "suites list": PackageResources.suites_json,
    "sync": PackageResources.sync_json,
    "watch": PackageResources.watch_json,
  ]
}
