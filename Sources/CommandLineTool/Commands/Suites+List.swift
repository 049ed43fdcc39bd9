import ArgumentParser
import Foundation
import RecordStore
import StoreInspection
import Tandem

extension Suites {
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the suites of keys and values.",
      discussion: """
        Of a device directory, those in stores of their own and those beside models.
        Exit code 1 if a store cannot be read; the others are listed. Opens stores for
        reading only.

        Example: tandem suites list --device phone
        """)

    @OptionGroup var place: SuitePlaceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let folder = try place.root() ?? GroupContainer(identifier: KeyValueStore.group(of: "default")).root
      let stores = try place.path.map { [try StoreLocation.store(at: $0)] } ?? StoreLocation.stores(inDevice: folder)
      var rows: [(suite: String, keys: Int, store: String)] = []
      var hasSkipped = false
      for url in stores {
        do {
          let store = try RecordStore.open(place.access.configuration(url, isReadOnly: true))
          let name = place.path ?? StoreLocation.relativePath(url, in: folder)
          rows += try KeyValueStore.suites(in: store).map { ($0.key, $0.value, name) }
        } catch let error as StoreError where place.path == nil {
          Console.standard.tell(error.message)
          hasSkipped = true
        }
      }
      try show(rows.sorted { ($0.suite, $0.store) < ($1.suite, $1.store) })
      if hasSkipped { throw SilentExit(.found) }
    }

    private func show(_ rows: [(suite: String, keys: Int, store: String)]) throws {
      if output.json {
        for row in rows {
          try Console.standard.print([
            "suite": .string(row.suite), "keys": .integer(row.keys), "store": .string(row.store),
          ])
        }
        return
      }
      var table = TextTable([.init("suite"), .init("keys", .right), .init("store")])
      table.rows = rows.map { [DisplayText.visible($0.suite), "\($0.keys)", DisplayText.visible($0.store)] }
      for line in table.lines(for: .current) { try Console.standard.print(line) }
    }
  }
}
