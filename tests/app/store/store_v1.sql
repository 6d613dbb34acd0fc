BEGIN TRANSACTION;
CREATE TABLE app (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	token_hash VARCHAR NOT NULL, 
	scopes JSON NOT NULL, 
	is_paused BOOLEAN NOT NULL, 
	paused_until BIGINT, 
	keeps_answers BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	last_seen_at BIGINT, 
	is_revoked BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "app" VALUES(1,'claude-code','Claude Code','','[]',0,NULL,0,1772442060000000,1772442180000000,0);
CREATE TABLE change (
	seq INTEGER NOT NULL, 
	operation_id INTEGER NOT NULL, 
	table_name TEXT NOT NULL, 
	row_id INTEGER NOT NULL, 
	action VARCHAR NOT NULL, 
	"before" JSON, 
	"after" JSON, 
	PRIMARY KEY (seq), 
	FOREIGN KEY(operation_id) REFERENCES operation (id)
);
INSERT INTO "change" VALUES(1,1,'app',1,'insert',NULL,NULL);
INSERT INTO "change" VALUES(2,2,'project',1,'insert',NULL,NULL);
INSERT INTO "change" VALUES(3,2,'stream',1,'insert',NULL,NULL);
INSERT INTO "change" VALUES(4,2,'conversation',1,'insert',NULL,NULL);
INSERT INTO "change" VALUES(5,2,'message',1,'insert',NULL,NULL);
INSERT INTO "change" VALUES(6,2,'entity',1,'insert',NULL,NULL);
INSERT INTO "change" VALUES(7,2,'mention',1,'insert',NULL,NULL);
INSERT INTO "change" VALUES(8,3,'message',2,'insert',NULL,NULL);
INSERT INTO "change" VALUES(9,3,'entity',2,'insert',NULL,NULL);
INSERT INTO "change" VALUES(10,3,'mention',2,'insert',NULL,NULL);
INSERT INTO "change" VALUES(11,3,'reference',1,'insert',NULL,NULL);
INSERT INTO "change" VALUES(12,4,'message',3,'insert',NULL,NULL);
INSERT INTO "change" VALUES(13,4,'reference',2,'insert',NULL,NULL);
INSERT INTO "change" VALUES(14,5,'conversation',1,'update','{"title": "", "is_title_edited": false}','{"title": "The round button", "is_title_edited": true}');
CREATE TABLE conversation (
	id INTEGER NOT NULL, 
	stream_id INTEGER NOT NULL, 
	queue_key BIGINT NOT NULL, 
	title VARCHAR NOT NULL, 
	is_title_edited BOOLEAN NOT NULL, 
	state VARCHAR NOT NULL, 
	outcome VARCHAR, 
	is_outcome_edited BOOLEAN NOT NULL, 
	merged_into_id INTEGER, 
	started_at BIGINT NOT NULL, 
	ended_at BIGINT, 
	auto_title VARCHAR NOT NULL, 
	auto_outcome VARCHAR, 
	outcome_reason VARCHAR NOT NULL, 
	last_message_at BIGINT, 
	message_count INTEGER NOT NULL, 
	topics JSON NOT NULL, 
	intents JSON NOT NULL, 
	files JSON NOT NULL, 
	related_ids JSON NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(stream_id) REFERENCES stream (id)
);
INSERT INTO "conversation" VALUES(1,1,1772442060000000,'The round button',1,'active',NULL,0,NULL,1772442060000000,NULL,'FAB button','tested','changes were ordered, then tests',1772442180000000,3,'["FAB button"]','["PLAN", "EXECUTE", "TEST"]','[]','[]');
CREATE TABLE entity (
	id INTEGER NOT NULL, 
	canonical VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (canonical)
);
INSERT INTO "entity" VALUES(1,'fab button','component','FAB button');
INSERT INTO "entity" VALUES(2,'purple','value','purple');
CREATE TABLE event (
	id INTEGER NOT NULL, 
	app_id INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	session VARCHAR NOT NULL, 
	text_hash VARCHAR NOT NULL, 
	at BIGINT NOT NULL, 
	received_at BIGINT NOT NULL, 
	payload JSON, 
	error VARCHAR NOT NULL, 
	attempt_count INTEGER NOT NULL, 
	message_id INTEGER, 
	is_imported BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (app_id, "key"), 
	FOREIGN KEY(app_id) REFERENCES app (id)
);
INSERT INTO "event" VALUES(1,1,'k0','prompt','done','s1','36bea7dca55d739951084c43aacda313',1772442060000000,1772442060000000,NULL,'',0,1,0);
INSERT INTO "event" VALUES(2,1,'k1','prompt','done','s1','aa3943c0cc5ffb48d5066e2339ee86a2',1772442120000000,1772442120000000,NULL,'',0,2,0);
INSERT INTO "event" VALUES(3,1,'k2','prompt','done','s1','7d525ed45edaee798b638fb87cf69253',1772442180000000,1772442180000000,NULL,'',0,3,0);
CREATE TABLE mention (
	id INTEGER NOT NULL, 
	message_id INTEGER NOT NULL, 
	entity_id INTEGER NOT NULL, 
	text VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	start INTEGER NOT NULL, 
	"end" INTEGER NOT NULL, 
	confidence FLOAT NOT NULL, 
	head VARCHAR NOT NULL, 
	is_plural BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(message_id) REFERENCES message (id), 
	FOREIGN KEY(entity_id) REFERENCES entity (id)
);
INSERT INTO "mention" VALUES(1,1,1,'FAB button','component',16,26,0.8,'button',0);
INSERT INTO "mention" VALUES(2,2,2,'purple','value',8,14,0.85,'purple',0);
CREATE TABLE message (
	id INTEGER NOT NULL, 
	conversation_id INTEGER NOT NULL, 
	stream_id INTEGER NOT NULL, 
	event_id INTEGER, 
	at BIGINT NOT NULL, 
	speaker VARCHAR NOT NULL, 
	text TEXT NOT NULL, 
	expanded_text TEXT, 
	intents JSON NOT NULL, 
	is_intent_corrected BOOLEAN NOT NULL, 
	is_start BOOLEAN NOT NULL, 
	boundary_state VARCHAR NOT NULL, 
	boundary_confidence FLOAT NOT NULL, 
	boundary_reason VARCHAR NOT NULL, 
	boundary_factors JSON NOT NULL, 
	continue_conversation_id INTEGER, 
	redaction_count INTEGER NOT NULL, 
	is_imported BOOLEAN NOT NULL, 
	is_out_of_window BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(conversation_id) REFERENCES conversation (id), 
	FOREIGN KEY(stream_id) REFERENCES stream (id)
);
INSERT INTO "message" VALUES(1,1,1,1,1772442060000000,'user','I want to add a FAB button',NULL,'[["PLAN", 0.906, "speaks of a goal: \"i want to add\""]]',0,1,'decided',1.0,'first message of a session','[]',NULL,0,0,0);
INSERT INTO "message" VALUES(2,1,1,2,1772442120000000,'user','Make it purple','Make the FAB button purple','[["EXECUTE", 0.979, "starts with the order \"make\""]]',0,0,'decided',9.75947905274288651789e-01,'continues: ''it'' refers to FAB button, 1 minute later','[["wording", -0.1833, "worded as a follow-up"], ["drift", 0.6012, "other words than before"], ["gap", -0.5764, "1 minute later"], ["reference", -0.3401, "''it'' refers to FAB button"]]',NULL,0,0,0);
INSERT INTO "message" VALUES(3,1,1,3,1772442180000000,'user','Test it','Test the FAB button','[["TEST", 0.995, "asks for a test: \"test it\""]]',0,0,'decided',9.55842082978979101781e-01,'continues: ''it'' refers to FAB button, 1 minute later','[["wording", 0.1461, "worded as a start"], ["drift", 0.6012, "other words than before"], ["gap", -0.5764, "1 minute later"], ["reference", -0.3563, "''it'' refers to FAB button"]]',NULL,0,0,0);
CREATE TABLE meta (
	name VARCHAR NOT NULL, 
	value VARCHAR NOT NULL, 
	PRIMARY KEY (name)
);
CREATE TABLE operation (
	id INTEGER NOT NULL, 
	at BIGINT NOT NULL, 
	origin VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	label VARCHAR NOT NULL, 
	undoes_id INTEGER, 
	undone_by_id INTEGER, 
	group_id INTEGER, 
	is_undoable BOOLEAN NOT NULL, 
	conversation_id INTEGER, 
	message_id INTEGER, 
	change_count INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "operation" VALUES(1,1772442060000000,'capture','new_assistant','A new assistant spoke',NULL,NULL,NULL,1,NULL,NULL,1);
INSERT INTO "operation" VALUES(2,1772442060000000,'capture','capture','Captured “I want to add a FAB button”',NULL,NULL,NULL,1,1,1,6);
INSERT INTO "operation" VALUES(3,1772442120000000,'capture','capture','Captured “Make it purple”',NULL,NULL,NULL,1,1,2,4);
INSERT INTO "operation" VALUES(4,1772442180000000,'capture','capture','Captured “Test it”',NULL,NULL,NULL,1,1,3,2);
INSERT INTO "operation" VALUES(5,1772442180000000,'person','rename','Renamed to “The round button”',NULL,NULL,NULL,1,1,NULL,1);
CREATE TABLE project (
	id INTEGER NOT NULL, 
	path VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (path)
);
INSERT INTO "project" VALUES(1,'/w/app','app');
CREATE TABLE reference (
	id INTEGER NOT NULL, 
	message_id INTEGER NOT NULL, 
	mention VARCHAR NOT NULL, 
	start INTEGER NOT NULL, 
	"end" INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	antecedent VARCHAR, 
	confidence FLOAT NOT NULL, 
	reason VARCHAR NOT NULL, 
	antecedent_message_id INTEGER, 
	antecedent_conversation_id INTEGER, 
	candidates JSON NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(message_id) REFERENCES message (id)
);
INSERT INTO "reference" VALUES(1,2,'it',5,7,'pronoun','resolved','FAB button',0.77,'object of "add" in the message before',1,1,'[["FAB button", 1.0, 1, 1, "object of \"add\" in the message before"]]');
INSERT INTO "reference" VALUES(2,3,'it',5,7,'pronoun','resolved','FAB button',0.81,'object of "make" in the message before',2,1,'[["FAB button", 1.0, 2, 1, "object of \"make\" in the message before"]]');
CREATE TABLE rule (
	id INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	pattern TEXT NOT NULL, 
	data JSON NOT NULL, 
	confidence FLOAT NOT NULL, 
	learned_from INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE setting (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	value JSON NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
CREATE TABLE stream (
	id INTEGER NOT NULL, 
	app_id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	session VARCHAR NOT NULL, 
	git_branch VARCHAR NOT NULL, 
	started_at BIGINT NOT NULL, 
	ended_at BIGINT, 
	PRIMARY KEY (id), 
	UNIQUE (app_id, project_id, session), 
	FOREIGN KEY(app_id) REFERENCES app (id), 
	FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "stream" VALUES(1,1,1,'s1','',1772442060000000,NULL);
CREATE TABLE tool_use (
	id INTEGER NOT NULL, 
	conversation_id INTEGER NOT NULL, 
	at BIGINT NOT NULL, 
	tool VARCHAR NOT NULL, 
	file VARCHAR NOT NULL, 
	command VARCHAR NOT NULL, 
	exit_status INTEGER, 
	is_error BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(conversation_id) REFERENCES conversation (id)
);
CREATE INDEX ix_rule_kind ON rule (kind);
CREATE INDEX ix_operation_group_id ON operation (group_id);
CREATE INDEX ix_operation_at ON operation (at);
CREATE INDEX ix_event_state ON event (state, id);
CREATE INDEX ix_event_session ON event (session, text_hash);
CREATE INDEX ix_change_row ON change (table_name, row_id);
CREATE INDEX ix_change_operation_id ON change (operation_id);
CREATE INDEX ix_conversation_stream_id ON conversation (stream_id);
CREATE INDEX ix_conversation_queue ON conversation (state, queue_key);
CREATE INDEX ix_message_stream_id ON message (stream_id);
CREATE INDEX ix_message_conversation ON message (conversation_id, id);
CREATE INDEX ix_tool_use_conversation_id ON tool_use (conversation_id);
CREATE INDEX ix_mention_message_id ON mention (message_id);
CREATE INDEX ix_reference_message_id ON reference (message_id);
COMMIT;
PRAGMA user_version=1;
PRAGMA application_id=1380273486;
