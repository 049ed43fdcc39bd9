import Foundation
import RecordStore
import RecordSync
import Tandem
import Testing

/// The code in the comments of keys and shared families.
struct FamilyExampleTests {
  @Test func `a store is shared by a file beside it`() async throws {
    try await withContainer(for: Expense.self) { container in
      let shared = SharedStore(at: container.store.url)
      try shared.found(named: "Ann")
      let meeting = MeetingPlace.remote("backup:tandem")
      let invitation = try shared.invite("Bob", as: FamilyRole.reader, meeting: meeting)
      print("\(invitation.name) runs tandem sync \(meeting.option)")
      #expect(invitation.role == .reader && meeting.option == "--remote backup:tandem")
    }
  }

  @Test func `a family's file invites, and an invitation joins`() async throws {
    try await withFolder { root in
      let directory = try DeviceDirectory(root)
      let place = DeviceDirectory.Place(group: "group.org.example.books", name: "Books")
      let url = root.appending(path: "bob.invitation")
      try FileManager.default.createDirectory(
        at: root.appending(path: place.group), withIntermediateDirectories: true)

      try {
        var file = try FamilyFile(foundedBy: "Ann")
        let invitation = try file.invite("Bob", as: .reader, to: "group.org.example.books/Books")
        try file.write(to: directory.familyFile(at: place))
        for member: FamilyFile.Member in file.members { print(member.name, member.role) }
        #expect(file.members.map(\.name) == ["Bob"])
        try invitation.write(to: url)
      }()

      let invitation = try FamilyInvitation(at: url)
      let file = FamilyFile(joining: invitation)
      #expect(file.name == "Bob" && file.inviter == "Ann" && file.role == .reader)
    }
  }

  @Test func `a key goes from one device to another by an invitation`() async throws {
    try await withFolder { root in
      let directory = try DeviceDirectory(root)
      let place = DeviceDirectory.Place(group: "group.org.example.books", name: "Books")
      try FileManager.default.createDirectory(
        at: root.appending(path: place.group), withIntermediateDirectories: true)
      var laptop = KeyFile(family: place.familyID)

      var file = KeyFile(family: place.familyID)
      file.key = FamilyKey()
      let invitation = try file.invitation(for: laptop.recipient, named: "laptop")
      for device: KeyFile.Device in file.devices { print(device.name, device.recipient) }
      try file.write(to: directory.keyFile(at: place))
      try laptop.join(invitation)
      #expect(laptop.key?.id == file.key?.id && file.devices.map(\.name) == ["laptop"])
      let keyFileURL = directory.keyFile(at: place)

      var options = SyncOptions()
      options.key = try KeyFile(at: keyFileURL).key
      #expect(options.key?.id == file.key?.id)
    }
  }
}
