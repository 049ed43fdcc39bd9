import ArgumentParser
import Foundation
import RecordSync

struct Leave: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Leave the family of a shared store; its records stay.",
    discussion: """
      What was saved here and not synchronised stays here alone, so synchronise
      first. The store is then kept equal with the devices of its own place again.
      The others keep what they have; 'tandem retire' tells them not to wait for this
      device. After a founder has left, nobody can invite or remove, so that needs
      --yes. Exit code 2 if the store is not shared.

      Example: tandem leave laptop
      """)

  @Argument(
    help: ArgumentHelp("The store, or a device directory with one store.", valueName: "store"), completion: .directory,
    transform: GivenPath.text)
  var store: String

  @Flag(help: "Leave a family that was founded with this store.")
  var yes = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    let shared = try SharedStoreLocation.store(at: store)
    guard let file = try shared.family() else {
      throw CommandFailure("\(shared.place) is not shared, so there is no family to leave")
    }
    if file.isFounder, !file.members.isEmpty, !yes {
      throw CommandFailure(
        "\(shared.place) founded its family of \(DisplayText.count(file.members.count + 1, "member")), and nobody else "
          + "can invite or remove; keep a copy of \(shared.familyFile.path), and leave with --yes")
    }
    try shared.leave()
    try ShareAnswer(
      place: shared.place, file: nil,
      hints: ["the records stay; the next sync goes by the place \(shared.place), as before the store was shared"]
    ).print(output)
  }
}
