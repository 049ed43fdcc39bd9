import ArgumentParser
import Foundation
import RecordStore
import RecordSync
import StoreInspection
import Tandem

struct Join: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Join the family of a shared store by an invitation.",
    discussion: """
      INVITATION is what 'tandem share --invite' wrote. The store is the one of the
      founder's group and name in --device, or else --only names it; where there is
      none, the first sync makes it. A store that has records joins with --yes alone:
      a writer gives them to the family, a reader keeps them to itself. It leaves the
      devices of its place that have not joined, which go on without it. A second
      invitation into the same family takes the place of the first. Synchronise
      afterwards with the folder in which the family's files lie. Exit code 2 if
      nothing was done; one sentence says why.

      Example: tandem join bob.invitation --device laptop
      """)

  @Argument(
    help: ArgumentHelp("The invitation.", valueName: "invitation"), completion: .file(), transform: GivenPath.text)
  var invitation: String

  @Option(
    help: ArgumentHelp(
      "The device directory.",
      discussion: "Default: $TANDEM_CONTAINER_ROOT, else the person's own data folder.", valueName: "folder"),
    completion: .directory, transform: GivenPath.text)
  var device: String?

  @Option(help: ArgumentHelp("Where the store lies, if not as the founder's does.", valueName: "group/store"))
  var only: String?

  @Flag(help: "Join with the records that the store has.")
  var yes = false

  @OptionGroup var secrecy: InvitationSecrecy
  @OptionGroup var access: AccessOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let only, DeviceDirectory.Place(only) == nil {
      throw ValidationError("--only '\(DisplayText.visible(only))' is not of the form GROUP/STORE")
    }
  }

  func run() throws {
    let found = try FamilyInvitation(
      at: URL(fileURLWithPath: invitation), passphrase: secrecy.passphrase())
    guard let place = DeviceDirectory.Place(only ?? found.place) else {
      throw CommandFailure("the founder's store lies in no device directory; name the place of yours with --only")
    }
    let shared = SharedStore(at: try url(of: place))
    try refuseRecords(of: shared, found)
    let file = try shared.join(found)
    let option = file.meeting?.option ?? "--folder FOLDER"
    let path = shared.url.deletingLastPathComponent().deletingLastPathComponent().path
    try ShareAnswer(
      place: shared.place, file: file, showsMembers: true,
      hints: ["synchronise with: tandem sync \(DisplayText.visible("\(MeetingPlace.word(path)) \(option)"))"]
    ).print(output)
  }

  private func url(of place: DeviceDirectory.Place) throws -> URL {
    guard let device else {
      let container = try GroupContainer(identifier: place.group, root: nil)
      return try StoreLocation.store(named: place.name, in: container)
    }
    return try DeviceDirectory(URL(fileURLWithPath: device, isDirectory: true)).store(at: place)
  }

  /// Records get into the family, or stay out of it, because a person says so.
  private func refuseRecords(of shared: SharedStore, _ found: FamilyInvitation) throws {
    guard !yes, try shared.family()?.family != found.family, StoreLocation.isStore(shared.url) else { return }
    let store = try RecordStore.open(access.configuration(shared.url, isReadOnly: true))
    let count = try StoreReport(store).entities.reduce(0) { $0 + $1.recordCount }
    guard count > 0 else { return }
    let what = DisplayText.count(count, "record")
    throw CommandFailure(
      found.role == .writer
        ? "\(shared.place) has \(what) already, which the family of \(DisplayText.visible(found.inviter)) would get; "
          + "--yes joins with them, and --only names another store"
        : "\(shared.place) has \(what) already, which would stay here and mix with those of "
          + "\(DisplayText.visible(found.inviter)); --yes joins with them, and --only names another store")
  }
}
