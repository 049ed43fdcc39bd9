import AstroSvitlaCommands

await AstroSvitlaProgram.start()
